import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { firstLoad } from "./first-load.ts";

// With `npm run dev -w web` the pages come from Vite and everything else from a service started beside it.
const service = "http://127.0.0.1:8080";
const servedByService = ["/welcome.json", "/openapi.json", "/arazzo.json", "/healthz", "/readyz", "/v1", "/web"];

export default defineConfig({
  plugins: [react(), firstLoad(["dashboard", "portal"])],
  // The contract is read from its source: a build of it may be older.
  resolve: { conditions: ["source", "module", "browser", "development|production"] },
  build: {
    // The service answers with `script-src 'self'; style-src 'self'`: nothing may end up inside the HTML.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Swagger UI is one piece of 1.7 MB, and only /docs/api loads it.
    chunkSizeWarningLimit: 2000,
    rolldownOptions: {
      input: {
        welcome: "index.html",
        // The frame of the documentation's pages, which scripts/site fills.
        site: "site/page.html",
        docs: "docs/api/index.html",
        dashboard: "dashboard/index.html",
        portal: "portal/index.html",
      },
      // Imported by the contract's signatures, which no page uses: nothing of it is left in what is built.
      external: ["node:crypto"],
      output: {
        // A few pieces that stay the same from screen to screen, instead of a file for each small thing that two share.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: "react", test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/ },
            { name: "tanstack", test: /node_modules[\\/]@tanstack[\\/]/ },
            { name: "contract", test: /[\\/]contract[\\/]src[\\/]/ },
            // But for what the welcome page and the reference have too.
            { name: "ui", test: /[\\/]web[\\/]src[\\/]ui[\\/](?!theme|controls[\\/]copyable|mark)/ },
            { name: "frame", test: /[\\/]web[\\/]src[\\/]app[\\/]/ },
          ],
        },
      },
    },
  },
  server: { proxy: Object.fromEntries(servedByService.map((path) => [path, service])) },
});
