import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const PERIOD_US = 10_000;
/** Both versions of control groups: the folder that holds ours, and the files to write. */
const VERSIONS = [
  {
    folder: "/sys/fs/cgroup/cpu",
    sign: "cpu.cfs_quota_us",
    files: (share: number): [string, string][] => [
      ["cpu.cfs_period_us", String(PERIOD_US)],
      ["cpu.cfs_quota_us", String(Math.round(PERIOD_US * share))],
    ],
  },
  {
    folder: "/sys/fs/cgroup",
    sign: "cgroup.subtree_control",
    files: (share: number): [string, string][] => [["cpu.max", `${Math.round(PERIOD_US * share)} ${PERIOD_US}`]],
  },
] as const;

/**
 * Holds a process and its later threads to a share of one core with a Linux control group. Returns how to remove the
 * group, once the process has ended.
 */
export function holdToShare(pid: number, share: number): () => void {
  const version = VERSIONS.find(({ folder, sign }) => existsSync(join(folder, sign)));
  if (version === undefined) throw new Error("this system has no control groups to limit a process with");
  const group = join(version.folder, `pestle-bench-${pid}`);
  try {
    if (version.sign === "cgroup.subtree_control") writeFileSync(join(version.folder, version.sign), "+cpu");
    mkdirSync(group);
    for (const [file, text] of version.files(share)) writeFileSync(join(group, file), text);
    writeFileSync(join(group, "cgroup.procs"), String(pid));
  } catch (error) {
    throw new Error(`cannot limit a process (${(error as Error).message}): run the bench as root`);
  }
  return () => rmdirSync(group);
}
