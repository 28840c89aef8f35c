import type { PersonLicense } from "@pestle/contract";
import { TextField } from "../../ui/controls/field.tsx";
import { say } from "../../ui/words/say.tsx";

/** The fields of a license as typed. An empty text means none. */
export type TypedLicense = { [Field in keyof PersonLicense]: string };

export const typedLicense = (license: Partial<PersonLicense> = {}): TypedLicense => ({
  license_number: license.license_number ?? "",
  license_state: license.license_state ?? "",
  license_expires_on: license.license_expires_on ?? "",
  npi: license.npi ?? "",
});

export const licenseOf = (typed: TypedLicense): PersonLicense => ({
  license_number: typed.license_number || null,
  license_state: typed.license_state || null,
  license_expires_on: typed.license_expires_on || null,
  npi: typed.npi || null,
});

/** A pharmacist's license: number, state and expiration date belong together, and the NPI is optional. */
export function LicenseFields({ typed, onChange }: { typed: TypedLicense; onChange: (typed: TypedLicense) => void }) {
  const field = (name: keyof TypedLicense) => ({
    value: typed[name],
    onChange: (event: { target: { value: string } }) => onChange({ ...typed, [name]: event.target.value }),
  });
  return (
    <>
      <TextField label={say("License number")} maxLength={40} {...field("license_number")} />
      <TextField
        label={say("License state")}
        hint={say("Two letters, such as CA.")}
        maxLength={2}
        {...field("license_state")}
      />
      <TextField label={say("License expires")} type="date" {...field("license_expires_on")} />
      <TextField label={say("NPI")} hint={say("Optional.")} inputMode="numeric" maxLength={10} {...field("npi")} />
    </>
  );
}
