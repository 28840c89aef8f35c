/** What an operator asked for cannot be done; the message is the one line that says why. */
export class AdminRefusal extends Error {}
