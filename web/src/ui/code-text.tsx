/** A sentence from a table, where names of fields stand between backticks. */
export const CodeText = ({ text }: { text: string }) =>
  text
    .split("`")
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence stay where they are
    .map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
