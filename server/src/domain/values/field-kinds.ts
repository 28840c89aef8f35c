import type { FieldKind } from "@pestle/contract";
import { isPersonName } from "./address/person-name.ts";
import { northAmericanPhone } from "./address/phone.ts";
import { isStateCode } from "./address/states.ts";
import { parseZip, zipText } from "./address/zip.ts";
import { countryCodes } from "./countries.ts";
import { normaliseNdc } from "./identifiers.ts";
import { isOneLine } from "./text.ts";

/** Reads a text of at most this many UTF-16 units. Undefined if malformed. */
type ReadText = (text: string, most: number) => string | null | undefined;

/** The kinds of text in request rows (contract, `FieldKind`). */
export const fieldKinds: Record<FieldKind, ReadText> = {
  city: (text, most) => (isOnLabel(text, most) && /\p{L}/u.test(text) ? text : undefined),
  country: (text) => {
    const code = twoLetters(text);
    return code !== undefined && countryCodes.has(code) ? code : undefined;
  },
  document_number: (text) => (DOCUMENT_NUMBER.test(text.trim()) ? text.trim() : undefined),
  email: (text, most) => (text.length <= most ? readEmail(text.trim()) : undefined),
  line_with_words: (text, most) => (isOneLine(text, most) && HAS_WORDS.test(text) ? text.trim() : undefined),
  line: (text, most) => (isOneLine(text, most) ? text : undefined),
  message: (text, most) => readMessage(text.length <= 2 * most ? text.trim() : text, most),
  ndc: (text, most) => (text.length <= most && normaliseNdc(text).length > 0 ? text : undefined),
  // Rejects ten bare digits, which can mean three NDCs: the caller can send all eleven.
  one_ndc: (text) => {
    const meant = normaliseNdc(text);
    return meant.length === 1 ? meant[0] : undefined;
  },
  person_name: (text) => (isPersonName(text) ? text.trim().replaceAll(/\s+/g, " ") : undefined),
  phone: (text) => northAmericanPhone(text.trim()) ?? undefined,
  phone_or_blank: (text) => (isBlank(text) ? null : (northAmericanPhone(text) ?? undefined)),
  prescriber_name: (text, most) =>
    text.length <= most && /\p{L}/u.test(text) && PRESCRIBER_NAME.test(text) ? text : undefined,
  prescriber_phone: (text, most) =>
    text.length <= most && northAmericanPhone(text.trim()) !== null ? text : undefined,
  // Accepts an empty one and one too long for a label: both hold an order, which partners can try out.
  sig: (text, most) => (text.length <= most && !NOT_IN_A_SIG.test(text) ? text.trim() : undefined),
  state: (text) => (isStateCode(upperState(text)) ? upperState(text) : undefined),
  street: (text, most) => (isOnLabel(text, most) ? text : undefined),
  street_or_blank: (text, most) => (isBlank(text) ? null : isOnLabel(text, most) ? text : undefined),
  trimmed_line: (text, most) => (isOneLine(text, most) ? text.trim() : undefined),
  two_letters: twoLetters,
  zip: (text) => {
    const zip = parseZip(text.trim());
    return zip === null ? undefined : zipText(zip);
  },
};

/** A text of several lines. It counts characters, because people write it: an emoji is one. */
const readMessage = (text: string, most: number): string | undefined =>
  text !== "" && text.length <= 2 * most && [...text].length <= most && !NOT_IN_A_SIG.test(text) ? text : undefined;

/** People also write the code in lower case. Leaves a text that is far too long unchanged. */
export const upperState = (state: string): string => (state.length <= 10 ? state.trim().toUpperCase() : state);

function twoLetters(text: string): string | undefined {
  return /^\s*[A-Za-z]{2}\s*$/.test(text) ? text.trim().toUpperCase() : undefined;
}

const DOCUMENT_NUMBER = /^(?=.*[A-Za-z0-9])[A-Za-z0-9-]{1,30}$/;
/** A person or a practice: letters of any script, digits, and punctuation of names and titles. */
const PRESCRIBER_NAME = /^[\p{L}\p{M}\p{N} '’.,&/()-]+$/u;

/** Control characters except white space, and half surrogate pairs. */
const NOT_IN_A_SIG = /[^\P{Cc}\t\n\r]|\p{Cs}/u;

const HAS_WORDS = /[\p{L}\p{N}]/u;

const isBlank = (text: string): boolean => text.length <= 100 && text.trim() === "";

/** Control characters, line ends, symbols, emoji, and punctuation of program code. */
const NOT_ON_A_LABEL = /[\p{C}\p{Zl}\p{Zp};{}[\]\\]|(?!\+)\p{S}/u;

/** One line with a letter or a digit, and only printable characters for a label. */
const isOnLabel = (text: string, most: number): boolean =>
  text.length <= most && HAS_WORDS.test(text) && !NOT_ON_A_LABEL.test(text);

const LONGEST_MAILBOX = 64;
const MAILBOX = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+(?:[A-Za-z]{2,63}|xn--[A-Za-z0-9-]{1,59})$/;

/** An address that any mail server accepts (RFC 5321), without quotes and with a dot in the host. */
function readEmail(email: string): string | undefined {
  const at = email.lastIndexOf("@");
  const [mailbox, host] = [email.slice(0, Math.max(at, 0)), email.slice(at + 1)];
  return mailbox.length <= LONGEST_MAILBOX && MAILBOX.test(mailbox) && HOST.test(host) ? email : undefined;
}
