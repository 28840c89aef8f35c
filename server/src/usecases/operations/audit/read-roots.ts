import type { AuditRoot } from "@pestle/contract";

/** Shipped roots, one a line. A line can start with what a syslog server adds. */
export function readRoots(text: string): { roots: AuditRoot[]; wrong_line: number | undefined } {
  const roots: AuditRoot[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const root = rootIn(line);
    if (root === undefined) return { roots, wrong_line: index + 1 };
    roots.push(root);
  }
  return { roots, wrong_line: undefined };
}

function rootIn(line: string): AuditRoot | undefined {
  try {
    const value = JSON.parse(line.slice(line.indexOf("{"))) as Partial<AuditRoot>;
    const texts = [value.log_id, value.root, value.at, value.key_id, value.signature];
    const fits = Number.isSafeInteger(value.size) && value.form === 1 && texts.every((one) => typeof one === "string");
    return fits ? (value as AuditRoot) : undefined;
  } catch {
    return undefined;
  }
}
