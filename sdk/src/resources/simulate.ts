import type { Call, WriteOptions } from "../client.ts";
import { simulationKinds } from "../generated/addresses.ts";
import type {
  Operations,
  SimulatedClockAnswer,
  SimulatedEventAnswer,
  SimulatedMessageAnswer,
  SimulatedOrderAnswer,
  SimulatedPrescriptionAnswer,
} from "../generated/records.ts";
import type { BodyOf } from "../operations.ts";

type Requests = Operations["simulate"]["body"];
type SimulationType = Requests["simulation_type"];
type FieldsOf<Type extends SimulationType> = Extract<Requests, { simulation_type: Type }>["simulation"];
/** An event's other fields are sent as given. */
export type SimulationOf<Type extends SimulationType> = Type extends "event"
  ? FieldsOf<Type> & { [field: string]: unknown }
  : FieldsOf<Type>;
export type SimulationAnswerOf<Type extends SimulationType> = {
  prescription: SimulatedPrescriptionAnswer;
  order: SimulatedOrderAnswer;
  message: SimulatedMessageAnswer;
  event: SimulatedEventAnswer;
  clock: SimulatedClockAnswer;
}[Type];

type Method<Given, Told> = (simulation: Given, options?: WriteOptions) => Promise<Told>;
type Scripted = Extract<SimulationOf<"prescription">, { script: string }>;
type Told = SimulationAnswerOf<"prescription">;
type Made = { [Name in keyof Told]: NonNullable<Told[Name]> };

/** Sandbox accounts only: simulates prescribers, the pharmacy, the carrier and time. One method per kind. */
export type Simulate = {
  [Type in Exclude<SimulationType, "prescription">]: Method<SimulationOf<Type>, SimulationAnswerOf<Type>>;
} & {
  /** Given fields create a prescription; a SCRIPT message can also cancel one or change nothing. */
  prescription: Method<Exclude<SimulationOf<"prescription">, Scripted>, Made> & Method<Scripted, Told>;
};

export function simulateOf(call: Call): Simulate {
  const methods = simulationKinds.map((simulation_type) => [
    simulation_type,
    (simulation: unknown, options?: WriteOptions) =>
      call("simulate", { body: { simulation_type, simulation } as BodyOf<"simulate"> }, options),
  ]);
  return Object.fromEntries(methods) as Simulate;
}
