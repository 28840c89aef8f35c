import {
  type DashboardShippingServices,
  type ShippingServiceChoice,
  type ShippingServices,
  serviceLimits,
} from "@pestle/contract";
import { useId, useState } from "react";
import { api, problemOf } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/field.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { say } from "../../ui/words/say.tsx";
import styles from "./catalogue-screen.module.css";

type Service = ShippingServices[number];
const sides = ["length_in", "width_in", "height_in"] as const;

/** Chooses the carrier service of a shipping method, and its usual parcel. */
export function ServiceDialog({
  path,
  service: now,
  known,
  parcel,
  onClose,
}: {
  path: `/dashboard/catalogue/${string}/services`;
  service: Service;
  known: DashboardShippingServices["known"];
  parcel: DashboardShippingServices["parcel"];
  onClose: () => void;
}) {
  const [carrier, setCarrier] = useState(now.carrier ?? "");
  const [service, setService] = useState(now.service ?? "");
  const [size, setSize] = useState({
    length_in: String(now.length_in ?? ""),
    width_in: String(now.width_in ?? ""),
    height_in: String(now.height_in ?? ""),
    weight_oz: String(now.weight_oz ?? ""),
  });
  const [carriers, services] = [useId(), useId()];
  const save = useChange(
    (choice: ShippingServiceChoice | null) => api(path, { method: "POST", body: { method_id: now.method_id, choice } }),
    { reads: [path], done: say("Service saved."), after: onClose },
  );
  const some = sides.some((side) => size[side] !== "");
  const names = { carriers: new Set(known.map((one) => one.carrier)), services: known.filter(isOf(carrier)) };
  const number = (text: string) => (text === "" ? null : Number(text));
  const submit = () => {
    const { length_in, width_in, height_in, weight_oz } = size;
    void save.run({
      ...{ carrier: carrier.trim(), service: service.trim(), weight_oz: number(weight_oz) },
      ...{ length_in: number(length_in), width_in: number(width_in), height_in: number(height_in) },
    });
  };
  const measure = (field: keyof typeof size, label: string, most: number) => (
    <TextField
      label={label}
      type="number"
      inputMode="numeric"
      min={1}
      max={most}
      step={1}
      required={some && field !== "weight_oz"}
      problem={problemOf(save.error, field)}
      value={size[field]}
      onChange={(event) => setSize({ ...size, [field]: event.target.value })}
    />
  );
  return (
    <Dialog
      title={say("Postage: {method}", { method: now.name })}
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          {now.chosen && (
            <Button busy={save.busy} onClick={() => void save.run(null)}>
              {say("Use the built-in table")}
            </Button>
          )}
          <Button onClick={onClose}>{say("Cancel")}</Button>
          <Button tone="primary" type="submit" busy={save.busy}>
            {say("Save")}
          </Button>
        </>
      }
    >
      <TextField
        label={say("Carrier")}
        hint={say("EasyPost's name, such as UPS.")}
        list={carriers}
        pattern={NAME}
        maxLength={60}
        required
        autoFocus
        problem={problemOf(save.error, "carrier")}
        value={carrier}
        onChange={(event) => setCarrier(event.target.value)}
      />
      <datalist id={carriers}>
        {[...names.carriers].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <TextField
        label={say("Service")}
        hint={say("EasyPost's name, such as Ground. Orders stay at packing if EasyPost does not offer it.")}
        list={services}
        pattern={NAME}
        maxLength={60}
        required
        problem={problemOf(save.error, "service")}
        value={service}
        onChange={(event) => setService(event.target.value)}
      />
      <datalist id={services}>
        {names.services.map((one) => (
          <option key={one.service} value={one.service} />
        ))}
      </datalist>
      <div className={styles["parcel"]}>
        {measure("length_in", say("Length, inches"), serviceLimits.inches)}
        {measure("width_in", say("Width, inches"), serviceLimits.inches)}
        {measure("height_in", say("Height, inches"), serviceLimits.inches)}
        {measure("weight_oz", say("Weight, ounces"), serviceLimits.ounces)}
      </div>
      <p className="small quiet">
        {say(
          "Leave the size or the weight empty for the usual parcel: {length} × {width} × {height} in, {weight} oz.",
          { length: parcel.length_in, width: parcel.width_in, height: parcel.height_in, weight: parcel.weight_oz },
        )}
      </p>
      {save.error !== null && <Problem error={save.error} />}
    </Dialog>
  );
}

/** The limits' pattern, as an input takes it. */
const NAME = serviceLimits.name.source.replace(/^\^|\$$/g, "");

const isOf = (carrier: string) => (one: { carrier: string }) =>
  one.carrier.toLowerCase() === carrier.trim().toLowerCase();
