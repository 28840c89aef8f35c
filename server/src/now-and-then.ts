/** Throttles `call`: runs it immediately, then at most once per interval. Never drops the last request. */
export function nowAndThen(every_ms: number, call: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let again = false;
  return function ask() {
    if (timer !== undefined) {
      again = true;
      return;
    }
    call();
    again = false;
    timer = setTimeout(() => {
      timer = undefined;
      if (again) ask();
    }, every_ms).unref();
  };
}
