/** Whether a Content-Type names this type in UTF-8; a parameter that says nothing of that is no reason to refuse it. */
export function isTypeInUtf8(header: string | undefined, type: string): boolean {
  const [named, ...parameters] = (header ?? "").split(";").map((part) => part.trim().toLowerCase());
  const charsets = parameters.filter((parameter) => /^charset\s*=/.test(parameter));
  return named === type && charsets.every((charset) => /^charset\s*=\s*("utf-8"|utf-8)$/.test(charset));
}
