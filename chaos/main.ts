import { spawnSync } from "node:child_process";
import { chosenRun } from "../scripts/chosen-run.ts";
import { answerCampaigns } from "./campaigns/answers.ts";
import { askedFor, type Campaign, FROM, withTallies } from "./campaigns/campaign.ts";
import { clusterCampaigns } from "./campaigns/clusters.ts";
import { crashCampaigns } from "./campaigns/crashes.ts";
import { endWithChildren } from "./campaigns/end-with-children.ts";
import { orderCampaigns } from "./campaigns/orders.ts";
import { reportCampaigns } from "./campaigns/reports.ts";
import { worldCampaigns } from "./campaigns/worlds.ts";

const campaigns: Record<string, Campaign> = {
  ...withTallies({
    ...crashCampaigns,
    ...orderCampaigns,
    ...worldCampaigns,
    ...clusterCampaigns,
    ...answerCampaigns,
  }),
  ...reportCampaigns,
};

const { name, run: campaign, numbers, texts, flags } = chosenRun("campaign", campaigns);
endWithChildren();
// The campaign attacks the build that operators run, so the build must be current.
if (campaign.needs_build !== false && FROM === "built") {
  const built = spawnSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" });
  if (built.status !== 0) process.exit(1);
}
const asked = askedFor(name, { numbers, texts, flags });
console.log(numbers["seed"] === undefined ? `campaign ${name}` : `campaign ${name}, seed ${asked.seed}`);
process.exit((await campaign.run(asked)) ? 0 : 1);
