import { WrongUsage } from "@pestle/cli/errors";
import { table } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import { type ShippingServices, serviceLimits } from "@pestle/contract";
import { readConfig } from "../../config.ts";
import { chooseShippingService, readShippingServices } from "../../usecases/catalogue/shipping-services.ts";
import { withSchema } from "../session.ts";

type Given = {
  account: string;
  method?: string;
  carrier?: string;
  service?: string;
  parcel?: string;
  weight?: string;
  reset?: boolean;
};

export const serviceCommand: CommandRow = {
  name: "catalogue services",
  summary: "show or choose which carrier service each shipping method buys (CARRIER=easypost)",
  options: [
    ["--account <account_id>", "the account, from `pestle partner list`", { required: true }],
    ["--method <id>", "the shipping method to change"],
    ["--carrier <name>", "EasyPost's name of the carrier, such as UPS"],
    ["--service <name>", "EasyPost's name of the service, such as Ground"],
    ["--parcel <size>", "the usual parcel in inches, such as 9x6x3 (default: PARCEL_SIZE)"],
    ["--weight <ounces>", "its usual weight (default: PARCEL_WEIGHT_OZ)"],
    ["--reset", "use the built-in table for the method again"],
  ],
  examples: [
    "catalogue services --account 3f9k2m8x1q7z",
    "catalogue services --account 3f9k2m8x1q7z --method 2 --carrier UPS --service Ground --weight 12",
  ],
  async run({ account, method, carrier, service, parcel, weight, reset = false }: Given, _argument, env) {
    const data = await withSchema(readConfig(env), ({ db }) => {
      if (method === undefined) return readShippingServices(db, account);
      const method_id = whole(method, "--method", 1_000_000_000);
      if (reset) return chooseShippingService(db, account, method_id, null);
      if (carrier === undefined || service === undefined)
        throw new WrongUsage("Give --carrier and --service, or --reset.");
      for (const name of [carrier, service]) {
        if (!serviceLimits.name.test(name)) throw new WrongUsage("A carrier or service is 1 to 60 letters and digits.");
      }
      const sizes = parcel?.split("x") ?? [];
      if (parcel !== undefined && sizes.length !== 3)
        throw new WrongUsage("Give --parcel as three inches, such as 9x6x3.");
      const [length_in = null, width_in = null, height_in = null] = sizes.map((size) =>
        whole(size, "--parcel", serviceLimits.inches),
      );
      const weight_oz = weight === undefined ? null : whole(weight, "--weight", serviceLimits.ounces);
      return chooseShippingService(db, account, method_id, {
        ...{ carrier, service, length_in, width_in, height_in, weight_oz },
      });
    });
    return { data, text: servicesText(data) };
  },
};

function whole(text: string, option: string, most: number): number {
  const number = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > most) throw new WrongUsage(`${option} takes whole numbers from 1 to ${most}.`);
  return number;
}

function servicesText(data: ShippingServices): string {
  const rows = data.map(({ method_id, name, carrier, service, chosen, length_in, width_in, height_in, weight_oz }) => [
    String(method_id),
    name,
    carrier === null ? "none: no label" : `${carrier} ${service}`,
    chosen ? "chosen" : "built in",
    length_in === null ? "" : `${length_in}x${width_in}x${height_in}`,
    weight_oz === null ? "" : `${weight_oz} oz`,
  ]);
  return table(["method", "name", "service", "by", "parcel", "weight"], rows);
}
