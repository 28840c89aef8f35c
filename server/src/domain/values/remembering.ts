/** Remembers the recent results of a pure function of one text, because the same directions and product names recur. */
export function remembering<Value>(find: (text: string) => Value): (text: string) => Value {
  const recent = new Map<string, Value>();
  return (text) => {
    if (recent.has(text)) return recent.get(text) as Value;
    if (recent.size >= MOST_RECENT) recent.clear();
    const value = find(text);
    recent.set(text, value);
    return value;
  };
}

const MOST_RECENT = 1_000;
