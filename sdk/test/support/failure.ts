/** The error of a failed call. */
export async function failure(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => {
      throw new Error("the call succeeded");
    },
    (error: unknown) => error,
  );
}
