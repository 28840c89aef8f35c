import type { Measured } from "./load.ts";
import { httpFigures, httpJson, httpLine, median, type Report, rateLine, rounded } from "./report.ts";

export type IntakeRound = { intake: Measured; pgbench_per_second: number };
export type ReadTimes = { script_us: number; fhir_us: number; script_bytes: number; fhir_bytes: number };

const AIMS = { intake_per_pgbench: 0.3, read_us: 1000 };

/** The median of the rounds, the ratio to pgbench, and the time of reading alone, each with its target. */
export function intakeReport(rounds: IntakeRound[], statements: number, read: ReadTimes): Report {
  const intake = httpFigures(rounds.map((round) => round.intake));
  const pgbench_per_second = Math.round(median(rounds.map((round) => round.pgbench_per_second)));
  const ratios = rounds.map((round) => round.intake.per_second / round.pgbench_per_second);
  const intake_per_pgbench = rounded(median(ratios));
  const reached =
    intake_per_pgbench >= AIMS.intake_per_pgbench && Math.max(read.script_us, read.fhir_us) < AIMS.read_us;
  const readLine = (format: string, us: number, bytes: number) =>
    `${`read and map, ${format} of ${bytes} bytes`.padEnd(36)}${us.toFixed(0).padStart(8)} µs   (target ${AIMS.read_us})`;
  const text = [
    httpLine("POST /intake/script, NewRx", intake),
    rateLine("pgbench, its three statements", pgbench_per_second),
    readLine("SCRIPT", read.script_us, read.script_bytes),
    readLine("FHIR", read.fhir_us, read.fhir_bytes),
    "",
    `intake / pgbench     ${intake_per_pgbench.toFixed(2)}   (target ${AIMS.intake_per_pgbench})`,
    `statements           ${statements.toFixed(2)} per message`,
  ].join("\n");
  const json = {
    bench: "intake",
    rounds: rounds.length,
    ...httpJson("intake", intake),
    pgbench_per_second,
    intake_per_pgbench,
    statements: rounded(statements),
    read_script_us: Math.round(read.script_us),
    read_fhir_us: Math.round(read.fhir_us),
    reached,
  };
  return { text, json, reached };
}
