import pg from "pg";

/** Lifts the rate limits of all accounts, for a campaign that measures something else. */
export async function raiseLimits(database_url: string): Promise<void> {
  const client = new pg.Client({ connectionString: database_url });
  await client.connect();
  await client.query("update account set rate_per_second = 100000, rate_burst = 100000");
  await client.end();
}
