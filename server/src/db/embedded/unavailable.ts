/** The embedded PostgreSQL cannot run here. The message is one line and includes the fix. */
export class EmbeddedUnavailable extends Error {
  override name = "EmbeddedUnavailable";
  constructor(reason: string, options: ErrorOptions & { remedy?: string } = {}) {
    const { remedy, ...rest } = options;
    super(`${reason}: ${remedy ? `${remedy}, or ` : ""}set DATABASE_URL to a PostgreSQL 15 or later`, rest);
  }
}
