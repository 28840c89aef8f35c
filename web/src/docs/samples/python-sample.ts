import type { DescribedCall } from "./described-call.ts";

/** With the package `requests`, which most Python programs have. */
export function pythonSample({ method, url, bearer, idempotent, body }: DescribedCall): string {
  const modules = [...(bearer ? ["os"] : []), ...(idempotent ? ["uuid"] : [])];
  const json = body?.content_type === "application/json";
  const headers = [
    '"Accept": "application/json",',
    ...(bearer ? [`"Authorization": "Bearer " + os.environ["PESTLE_TOKEN"],`] : []),
    ...(idempotent ? ['"Idempotency-Key": str(uuid.uuid4()),'] : []),
    ...(body && !json && !isForm(body) ? [`"Content-Type": ${JSON.stringify(body.content_type)},`] : []),
  ];
  return [
    ...modules.map((name) => `import ${name}`),
    ...(modules.length > 0 ? [""] : []),
    "import requests",
    "",
    `response = requests.${method.toLowerCase()}(`,
    `    ${JSON.stringify(url)},`,
    "    headers={",
    ...headers.map((line) => `        ${line}`),
    "    },",
    ...(body ? [`    ${argumentOf(body)},`] : []),
    "    timeout=30,",
    ")",
    "response.raise_for_status()",
    "print(response.text)",
  ].join("\n");
}

type Body = NonNullable<DescribedCall["body"]>;
const isForm = ({ content_type }: Body) => content_type === "application/x-www-form-urlencoded";

function argumentOf(body: Body): string {
  if (body.content_type === "application/json") return `json=${literal(body.example, "    ")}`;
  if (isForm(body)) return `data=${literal(body.example, "    ")}`;
  const text = typeof body.example === "string" ? body.example : JSON.stringify(body.example);
  return `data=${literal(text, "    ")}.encode()`;
}

/** A string of JSON is a string of Python. */
function literal(value: unknown, indent: string): string {
  const inner = `${indent}    `;
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const parts = Array.isArray(value)
    ? value.map((one) => literal(one, inner))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${literal(one, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return parts.length === 0
    ? `${open}${close}`
    : `${open}\n${parts.map((one) => `${inner}${one},\n`).join("")}${indent}${close}`;
}
