/** The mail server did not take the letter. The message repeats no address. */
export class MailFailed extends Error {
  override name = "MailFailed";
  /** Another attempt would fail as well: the server refused the recipient or the letter for good. */
  readonly final: boolean;
  /** The server's reply code, such as `smtp_550`, or the kind of failure on the way to it. */
  readonly code: string;
  constructor(message: string, code: string, final: boolean) {
    super(message);
    this.code = code;
    this.final = final;
  }
}
