/** Refuses an operator's request. The message is one line that says why. */
export class AdminRefusal extends Error {}
