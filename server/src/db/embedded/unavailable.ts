/** There is no PostgreSQL to run here; the message is one line and says what to do. */
export class EmbeddedUnavailable extends Error {
  override name = "EmbeddedUnavailable";
  constructor(reason: string, options: ErrorOptions & { remedy?: string } = {}) {
    const { remedy, ...rest } = options;
    super(`${reason}: ${remedy ? `${remedy}, or ` : ""}set DATABASE_URL to a PostgreSQL 15 or later`, rest);
  }
}
