/** A fault as it may be logged: the stack, and for a database fault its code: never its message or detail, which can carry a row's values. */
export function faultOf(error: unknown) {
  const { name, message, stack, code, severity } = error as Error & { code?: string; severity?: string };
  if (severity !== undefined) return { name, code, stack: stack?.split("\n").slice(1).join("\n") };
  return { name, message, code, stack };
}
