import { NOTE_CHARACTERS } from "@pestle/contract";
import { AdminRefusal } from "../accounts/admin-refusal.ts";

/** Validates the note on a decision. It may have several lines. */
export function checkedNote(text: string): string {
  const note = text.trim();
  if (note === "" || note.length > NOTE_CHARACTERS || /(?!\n)\p{Cc}/u.test(note)) {
    throw new AdminRefusal(`Write 1 to ${NOTE_CHARACTERS} characters of plain text.`);
  }
  return note;
}
