import { findOrInstall } from "./debian-package.ts";

/** Prometheus's own checker of rules. */
export const findPromtool = () => findOrInstall(["/usr/bin/promtool", "/usr/local/bin/promtool"], "prometheus");
