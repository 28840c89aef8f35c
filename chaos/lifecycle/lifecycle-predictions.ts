import { actions, type ExceptionId, exceptionRow, statusOfState } from "@pestle/contract";
import type { Asked, Concrete } from "./lifecycle-concrete.ts";
import {
  type Address,
  change,
  DAY_MS,
  isOpen,
  itemsOf,
  type Life,
  type Model,
  openIds,
  partner,
  recheck,
  recheckDuplicates,
} from "./lifecycle-model.ts";
import {
  authorise,
  cancel,
  DONE,
  giveBack,
  inQuestion,
  place,
  prescribe,
  refund,
  replace,
  type Told,
} from "./lifecycle-orders.ts";
import { serve, track } from "./lifecycle-track.ts";
import { simulate, work } from "./lifecycle-work.ts";

const ADDRESS_EXCEPTIONS: readonly ExceptionId[] = [66, 67, 77, 78, 79];

/**
 * The expected outcome of a command: `done`, or the reason for a rejection. Afterwards the model has the expected
 * state.
 */
export function predict(model: Model, command: Concrete, told: Told): string {
  switch (command.kind) {
    case "place": {
      const { wishes, address, token, other_dob } = command;
      return place(
        model,
        { wishes, address, token, other_dob, by: "partner", ids: [...model.prescriptions.keys()] },
        told,
      );
    }
    case "act":
      return act(model, command.life, command.asked);
    case "work":
      return work(model, command);
    case "readdress": {
      const codes = [
        ...(isOpen(command.life) ? [] : [42228]),
        ...(!model.automatic && command.address.state === "HI" ? [42231] : []),
      ];
      return codes.length > 0 ? codes.join() : readdress(model, command.life, command.address);
    }
    case "restock":
      model.shelves.get(command.sku)!.on_hand += command.units;
      serve(model);
      return DONE;
    case "prescribe":
      return prescribe(model, command, told);
    case "tell_allergies": {
      // A partner's list adds, and never removes.
      const all = [...new Set([...model.allergies, ...command.allergies])];
      const same = all.length === model.allergies.length;
      model.allergies = all;
      if (!same) recheck(model, partner);
      return DONE;
    }
    case "clock":
      model.ahead_ms += command.days * DAY_MS;
      track(model);
      serve(model);
      return DONE;
    case "wait":
      model.real_ms += command.minutes * 60_000;
      return DONE;
    case "simulate":
      return simulate(model, command);
  }
}

function readdress(model: Model, life: Life, address: Address): string {
  life.address = address;
  change(model, life, partner, { ends: ADDRESS_EXCEPTIONS, otherwise: "update_address" });
  return DONE;
}

/** Partner requests. */
function act(model: Model, life: Life, asked: Asked): string {
  const { event } = asked;
  const offers = (id: ExceptionId) => exceptionRow(id).actions.includes(event);
  const meant = openIds(life).filter((id) => asked.exception_id === undefined || id === asked.exception_id);
  const target = meant.find(offers);
  const codes: number[] = asked.reason_id === 999 ? [42430] : [];
  const pharmacists = event === "verify" && target === undefined && meant.some((id) => id === 74 || id === 75);
  const by_status =
    asked.exception_id === undefined &&
    (actions[event].order_statuses as readonly string[]).includes(statusOfState(life.state));
  if (pharmacists) codes.push(42462);
  else if (target === undefined && !by_status) codes.push(42463);
  if (codes.length > 0) return codes.sort().join();
  const done = (what: Parameters<typeof change>[3]) => {
    change(model, life, partner, what);
    return DONE;
  };
  const ends = { ends: [target!] };
  switch (event) {
    case "release":
      return done(ends);
    case "cancel":
      return cancel(model, life, "partner");
    case "update_email":
      model.email = true;
      done(ends);
      recheck(model, partner);
      return DONE;
    case "update_address":
      if (!model.automatic && asked.address!.state === "HI") return "42231";
      return readdress(model, life, asked.address!);
    case "confirm_address":
    case "confirm_not_duplicate":
      return done({ confirms: [target!] });
    case "verify": {
      const right = target === 71 ? asked.dob === "right" : asked.dob === undefined;
      return right ? done({ confirms: [target!] }) : "42200";
    }
    case "replace_prescription":
      if (!itemsOf(life).some(({ needs_prescription }) => needs_prescription)) return "42258";
      return replace(model, life, target!, asked.prescription_id!, partner);
    case "remove_item": {
      const item = itemsOf(life).find(({ item_id }) => item_id === asked.item_id);
      if (item === undefined || itemsOf(life).length === 1 || !inQuestion(model, life, target!, item)) return "42200";
      giveBack(model, item);
      item.removed = true;
      life.amount -= item.price;
      done({ ...ends, otherwise: "remove_item" });
      recheckDuplicates(model, life, partner);
      return DONE;
    }
    case "retry_payment":
      life.token = asked.token!;
      if (life.payer === "partner") {
        life.payment = "authorized";
        return done(ends);
      }
      change(model, life, partner, {});
      authorise(model, life);
      return DONE;
    case "hold":
      return done({ raises: [64] });
    case "refund":
      return refund(life, "partner", life.captured - life.refunded) ? DONE : "42463";
    case "partial_refund":
      return refund(life, "partner", asked.amount_cents!) ? DONE : "42463";
    case "accept_suggested_address":
      throw new Error("not played");
  }
}
