import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { firstLoad } from "./first-load.ts";

// With `npm run dev -w web` the pages come from Vite and everything else from a service started beside it.
const service = "http://127.0.0.1:8080";
const servedByService = ["/welcome.json", "/openapi.json", "/healthz", "/readyz", "/v1", "/web"];

export default defineConfig({
  plugins: [react(), firstLoad(["dashboard", "portal"])],
  // The contract is read from its source: a build of it may be older.
  resolve: { conditions: ["source", "module", "browser", "development|production"] },
  build: {
    // The service answers with `script-src 'self'; style-src 'self'`: nothing may end up inside the HTML.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Swagger UI is one piece of 1.7 MB, and only /docs loads it.
    chunkSizeWarningLimit: 2000,
    rolldownOptions: {
      input: {
        welcome: "index.html",
        docs: "docs/index.html",
        dashboard: "dashboard/index.html",
        portal: "portal/index.html",
      },
    },
  },
  server: { proxy: Object.fromEntries(servedByService.map((path) => [path, service])) },
});
