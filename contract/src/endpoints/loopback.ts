/** Whether a host name or an address is this machine itself. */
export const isLoopback = (host: string): boolean => /^(127(\.\d{1,3}){3}|localhost|::1)$/.test(host);
