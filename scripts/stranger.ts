import { languages } from "@pestle/cli/samples/samples";

/**
 * The path of a partner's developer who has never seen Pestle, in an empty folder next to a running service: install the command
 * line, log in, create a project, run it, and see a verified webhook.
 */
export type StrangerPath = { language: "typescript" | "python"; block: string };

/** What a path may take of the machine: installation, project and webhook, without the service. */
export const STRANGER_LIMIT_S = 180;

const EVENTS = "RX_RECEIVED ORDER_UPDATED ORDER_EXCEPTION SHIPMENT_UPDATED";

/**
 * The commands of a path. `packed` is the folder with the packages, which are not on the registry yet. `set -m` gives each program
 * that keeps running a process group of its own, so that the last lines end it with everything that it started.
 */
export function strangerPath(language: StrangerPath["language"], port: number, packed: string): StrangerPath {
  const { prepare, receive, order } = languages[language];
  const own = ["contract", "sdk"].map((name) => `"${packed}"/pestle-${name}-*.tgz`).join(" ");
  // The pharmacy gave the partner these.
  const demo = (path: string) => `node -p 'JSON.parse(fs.readFileSync("${packed}/.data/demo.json")).${path}'`;
  const hook = `http://127.0.0.1:${port}/hook`;
  const block = `
mkdir -p "$HOME/stranger-${language}"
cd "$HOME/stranger-${language}"
npm install --silent --no-audit --no-fund ${own} "${packed}"/pestle-cli-*.tgz
${demo("partners[0].client_secret")} |
  npx @pestle/cli login --client-id "$(${demo("partners[0].client_id")})" --base-url "$(${demo("base_url")})" --secret-stdin
npx @pestle/cli samples create ${language} --folder project --port ${port}
${prepare === null ? "" : `(cd project && ${prepare} --silent --no-audit --no-fund ${own})`}
set -m
(cd project && exec ${receive}) > receiver.log 2>&1 &
RECEIVER=$!
until grep -q "listening at" receiver.log; do sleep 0.1; done
[ "$(curl --silent --output /dev/null --write-out '%{http_code}' --data '{}' ${hook})" = 401 ]
npx @pestle/cli listen --forward-to ${hook} --events ${EVENTS} > listen.log 2>&1 &
LISTEN=$!
until grep -q "Press Ctrl-C" listen.log; do sleep 0.1; done
(cd project && ${order})
until grep -q "verified ORDER_UPDATED .* Delivered" receiver.log; do sleep 0.1; done
grep "verified ORDER_UPDATED .* Delivered" receiver.log
kill -- -$RECEIVER -$LISTEN
wait $RECEIVER $LISTEN || true
set +m
cd - > /dev/null
`;
  return { language, block };
}
