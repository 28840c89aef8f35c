import pc from "picocolors";

/** Only for eyes: not in a pipe, not in a file, not in a build's log, and not where NO_COLOR is set. */
export default pc.createColors(pc.isColorSupported && process.stdout.isTTY === true);
