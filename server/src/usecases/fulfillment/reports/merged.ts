/** Merges sources that are each in order of time. Rows of the same time keep the order of the sources. */
export async function* merged<Row extends { at: Date }>(sources: readonly AsyncGenerator<Row>[]): AsyncGenerator<Row> {
  const heads: { row: Row; from: AsyncGenerator<Row> }[] = [];
  for (const from of sources) {
    const { value, done } = await from.next();
    if (done !== true) heads.push({ row: value, from });
  }
  while (heads.length > 0) {
    const first = heads.reduce((best, head) => (head.row.at < best.row.at ? head : best));
    yield first.row;
    const { value, done } = await first.from.next();
    if (done === true) heads.splice(heads.indexOf(first), 1);
    else first.row = value;
  }
}
