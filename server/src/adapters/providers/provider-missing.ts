import { type ProviderKind, providerKinds } from "@pestle/contract";

/** No provider serves production accounts. The work stays where it is, for the operator to set one. */
export class ProviderMissing extends Error {
  override name = "ProviderMissing";
  readonly kind: ProviderKind;
  constructor(kind: ProviderKind) {
    const { setting, choices } = providerKinds[kind];
    super(
      `${setting} names no provider for production. Set it to ${choices.filter((one) => one !== "none").join(", ")}.`,
    );
    this.kind = kind;
  }
}
