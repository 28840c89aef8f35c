const MOST_COMMANDS = 5_000;
const MOST_LABELS = 10;
const LONGEST_TEXT = 4_000;
const LONGEST_GRAPHIC = 400_000;

/** Commands that place text, barcodes, lines and pictures on this label, and nothing else. */
const ALLOWED = new Set(
  (
    "A B0 B1 B2 B3 B4 B5 B7 B8 B9 BA BB BC BD BE BF BI BJ BK BL BM BO BP BQ BR BS BT BU BX BY BZ CF CI FB FC FD FH FO " +
    "FP FR FS FT FV FW FX GB GC GD GE GF GS LH LL LR PM PO PW SN TB XA XZ"
  ).split(" "),
);
/** Settings of the printer that carriers' labels often repeat. The label prints without them, on the pharmacy's settings. */
const DROPPED = new Set("JM JU JZ LS LT MC MD ML MM MN MP MT MU PF PQ PR SD SZ TO".split(" "));

/**
 * Rewrites ZPL with the commands of the table. Refuses everything that stores files, changes fonts, configures the
 * printer or its network, answers the host, changes the command characters, or recalls stored formats: all `~` commands
 * and every `^` command that is in neither table.
 */
export function cleanZpl(bytes: Buffer): Buffer | undefined {
  const text = bytes.toString("latin1");
  // Line breaks and tabs mean nothing between commands. Any other control character is not ZPL.
  if (/[^\t\n\r\x20-\x7e\x80-\xff]/.test(text)) return undefined;
  const [before = "", ...parts] = text.split("^");
  if (before.trim() !== "" || text.includes("~") || parts.length > MOST_COMMANDS) return undefined;
  const lines: string[] = [];
  let [labels, open] = [0, false];
  for (const part of parts) {
    const command = commandOf(part);
    if (command === undefined) return undefined;
    const { name, given } = command;
    if (DROPPED.has(name)) continue;
    // Commands belong between ^XA and ^XZ.
    if ((name === "XA") === open) return undefined;
    if (name === "XA") labels += 1;
    open = name !== "XZ";
    lines.push(`^${name}${given}`);
  }
  if (open || labels === 0 || labels > MOST_LABELS) return undefined;
  return Buffer.from(`${lines.join("\n")}\n`, "latin1");
}

function commandOf(part: string): { name: string; given: string } | undefined {
  // ^A is the only command of one letter: the font follows. ^A@ names a font file of the printer.
  const [, name = "", rest = ""] = /^(A(?=[A-Z0-9])|[A-Z][A-Z0-9])(.*)$/is.exec(part) ?? [];
  const upper = name.toUpperCase();
  const given = rest.replaceAll(/[\t\n\r]/g, "").trimEnd();
  if (DROPPED.has(upper)) return { name: upper, given: "" };
  if (!ALLOWED.has(upper)) return undefined;
  if (upper === "FX") return { name: upper, given: "" };
  if (upper === "GF") return isGraphic(given) ? { name: upper, given } : undefined;
  if (upper === "FD" || upper === "FV" || upper === "SN") {
    return given.length <= LONGEST_TEXT ? { name: upper, given } : undefined;
  }
  // Numbers, letters and separators: no command's parameters need more.
  return /^[A-Za-z0-9,._:*+ -]{0,100}$/.test(given) ? { name: upper, given } : undefined;
}

/** A picture in hexadecimal digits or base64, with its sizes. Raw bytes could hide a command. */
const isGraphic = (given: string): boolean =>
  given.length <= LONGEST_GRAPHIC && /^A,\d{1,6},\d{1,6},\d{1,4},[0-9A-Za-z,:!+/=]+$/.test(given);
