import type { DashboardAccount, DashboardCatalogue } from "@pestle/contract";
import { Loaded } from "../../app/loaded.tsx";
import { Link, useNavigate } from "../../app/router/router.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { useFilters } from "../../app/use-address.ts";
import { useApi } from "../../app/use-api.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import { Keys } from "../../ui/controls/keys.tsx";
import { Tabs } from "../../ui/controls/tabs.tsx";
import { Icon } from "../../ui/icon.tsx";
import { EnvironmentBadge } from "../../ui/order-badges.tsx";
import { numberText } from "../../ui/words/number-text.ts";
import { say } from "../../ui/words/say.tsx";
import { AccountSelect, useChosenAccount } from "../accounts.tsx";
import { leads } from "../roles.ts";
import { BrandsTable } from "./brands-table.tsx";
import { LicencesTable } from "./licences-table.tsx";
import { MethodsTable } from "./methods-table.tsx";
import { ProductsTable } from "./products-table.tsx";
import { VersionsTable } from "./versions-table.tsx";

/** An account's products, brands and shipping methods, and the pharmacy's state licenses. */
export function CatalogueScreen() {
  const [account] = useChosenAccount();
  const [{ tab = "products" }] = useFilters();
  const path = `/dashboard/catalogue/${account?.account_id}` as const;
  const catalogue = useApi(path, { enabled: account !== undefined });
  const may = leads.includes(useSignedIn().role);
  const navigate = useNavigate();
  const kind = tab === "versions" ? "products" : tab;
  const search = { kind, ...(account && { account_id: account.account_id }) };
  useShortcuts(
    may
      ? [
          {
            keys: "i",
            label: say("Import a file"),
            run: () => void navigate({ to: "/catalogue/import", search: search as never }),
          },
        ]
      : [],
  );
  return (
    <Page
      title={say("Catalogue")}
      heading={
        <span className="row">
          {say("Catalogue")} {account && <EnvironmentBadge environment={account.environment} />}
        </span>
      }
      about={say("Products, brands, shipping methods and state licenses.")}
      actions={
        <>
          <AccountSelect />
          {may && (
            <Link to="/catalogue/import" search={search as never} className={buttonClass("primary")}>
              <Icon name="upload" /> {say("Import")} <Keys keys="i" />
            </Link>
          )}
        </>
      }
    >
      <Loaded query={catalogue} lines={12}>
        {(data) => account && <Parts account={account} catalogue={data} />}
      </Loaded>
    </Page>
  );
}

function Parts({ account, catalogue }: { account: DashboardAccount; catalogue: DashboardCatalogue }) {
  const [{ tab = "products" }, change] = useFilters();
  const { products, brands, shipping_methods, versions } = catalogue;
  const withCount = (name: string, count: number) => (
    <>
      {name} <span className="quiet">{numberText(count)}</span>
    </>
  );
  return (
    <Tabs
      label={say("Catalogue sections")}
      value={tab}
      onChange={(key) => change({ tab: key, find: null })}
      tabs={[
        {
          key: "products",
          label: withCount(say("Products"), products.length),
          content: () => <ProductsTable products={products} methods={shipping_methods} />,
        },
        {
          key: "brands",
          label: withCount(say("Brands"), brands.length),
          content: () => <BrandsTable brands={brands} />,
        },
        {
          key: "shipping_methods",
          label: withCount(say("Shipping methods"), shipping_methods.length),
          content: () => <MethodsTable account={account} methods={shipping_methods} />,
        },
        {
          key: "licences",
          label: say("Licenses"),
          content: () => <LicencesTable environment={account.environment} />,
        },
        {
          key: "versions",
          label: withCount(say("Versions"), versions.length),
          content: () => <VersionsTable versions={versions} />,
        },
      ]}
    />
  );
}
