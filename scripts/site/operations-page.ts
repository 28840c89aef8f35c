import { type Endpoint, endpoints, type SearchPage, tags } from "@pestle/contract";
import { plain } from "./render-page.ts";

/** The API reference for the search, a passage for each operation. Swagger UI makes these ids. */
export const operationsPage: SearchPage = {
  path: "/docs/api",
  title: "API reference",
  kind: "operation",
  passages: [
    { id: "", heading: "API reference", text: Object.values(tags).join(" ") },
    ...(endpoints as readonly Endpoint[]).map(({ operation_id, method, path, summary, description, tags: [tag] }) => ({
      id: `operations-${tag!.replaceAll(" ", "_")}-${operation_id}`,
      heading: `${method} ${path} (${operation_id}): ${summary}`,
      text: plain(description),
    })),
  ],
};
