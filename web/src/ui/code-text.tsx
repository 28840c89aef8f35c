/** Renders text from the contract's tables, with backticks as code. */
export const CodeText = ({ text }: { text: string }) =>
  text
    .split("`")
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never reorder
    .map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
