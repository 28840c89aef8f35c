import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { firstLoad } from "./first-load.ts";

// `npm run dev -w web` serves the pages from Vite and proxies everything else to a running service.
const service = "http://127.0.0.1:8080";
const servedByService = [
  "/welcome.json",
  "/audit-keys.json",
  "/openapi.json",
  "/arazzo.json",
  "/healthz",
  "/readyz",
  "/v1",
  "/web",
];

export default defineConfig({
  plugins: [react(), firstLoad(["dashboard", "portal"])],
  // Use the contract's source; its build may be outdated.
  resolve: { conditions: ["source", "module", "browser", "development|production"] },
  build: {
    // The service sends `script-src 'self'; style-src 'self'`, so the HTML must not contain inline code.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Swagger UI is a single 1.7 MB chunk that only /docs/api loads.
    chunkSizeWarningLimit: 2000,
    rolldownOptions: {
      input: {
        welcome: "index.html",
        // The template of the documentation pages, which scripts/site fills in.
        site: "site/page.html",
        docs: "docs/api/index.html",
        dashboard: "dashboard/index.html",
        portal: "portal/index.html",
      },
      // The contract's signature code imports it, but no page uses that code and the build drops it.
      external: ["node:crypto"],
      output: {
        // A few shared chunks instead of one file per small shared module.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: "react", test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/ },
            { name: "tanstack", test: /node_modules[\\/]@tanstack[\\/]/ },
            { name: "contract", test: /[\\/]contract[\\/]src[\\/]/ },
            { name: "charts", test: /[\\/]web[\\/]src[\\/]ui[\\/]charts[\\/]/ },
            // Except the modules that the welcome page and the reference also use, and the charts, which few screens load.
            { name: "ui", test: /[\\/]web[\\/]src[\\/]ui[\\/](?!theme|counted|controls[\\/]copyable|mark|charts)/ },
            { name: "frame", test: /[\\/]web[\\/]src[\\/]app[\\/]/ },
          ],
        },
      },
    },
  },
  server: { proxy: Object.fromEntries(servedByService.map((path) => [path, service])) },
});
