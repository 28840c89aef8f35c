/**
 * Slips between two words: a letter added, left out, changed, or two neighbours swapped. Gives up beyond `most`, so
 * that words of different length cost nothing.
 */
export function withinEdits(a: string, b: string, most: number): boolean {
  if (Math.abs(a.length - b.length) > most) return false;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let least = Math.min(
        (above[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (above[column - 1] as number) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) least = Math.min(least, (before[column - 2] as number) + 1);
      current.push(least);
    }
    if (Math.min(...current) > most && Math.min(...above) > most) return false;
    [before, above] = [above, current];
  }
  return (above[b.length] as number) <= most;
}
