import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { chunkCircles } from "./chunk-circles.ts";
import { firstLoad } from "./first-load.ts";

// `npm run dev -w web` serves the pages from Vite and proxies everything else to a running service.
const service = "http://127.0.0.1:8080";
const servedByService = [
  "/welcome.json",
  "/audit-keys.json",
  "/openapi.json",
  "/openapi-3.0.json",
  "/arazzo.json",
  "/postman.json",
  "/llms.txt",
  "/healthz",
  "/readyz",
  "/v1",
  "/web",
];

const firstViews = [
  { name: "dashboard home", entry: "dashboard", screen: "dashboard/home/home-screen.tsx" },
  { name: "queue", entry: "dashboard", screen: "dashboard/queue/queue-screen.tsx" },
  { name: "order", entry: "dashboard", screen: "dashboard/order/order-screen.tsx" },
  { name: "portal home", entry: "portal", screen: "portal/home/home-screen.tsx" },
];

export default defineConfig({
  plugins: [react(), firstLoad(firstViews), chunkCircles()],
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
        // The bundler adds every screen that uses a chunk to the chunk's name.
        chunkFileNames: ({ name }) => `assets/${name.split("~")[0]}-[hash].js`,
        assetFileNames: ({ names: [name = ""] }) => `assets/${name.replace(/(~.*)?\.\w+$/, "")}-[hash][extname]`,
        // A few shared chunks instead of one file per small shared module. `initial` is what a page needs at once; what
        // only lazy screens use goes into chunks of their own.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: "react", test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/ },
            { name: "tanstack", test: /node_modules[\\/]@tanstack[\\/](?!(react-)?virtual)/, tags: ["$initial"] },
            // Only screens with a long list use it. In a shared chunk, the others would load it too.
            {
              name: "grid",
              test: /node_modules[\\/]@tanstack[\\/](react-)?virtual|[\\/](ui[\\/]display[\\/]row-grid|app[\\/]row-list)/,
            },
            // The search of the documentation stays with its pages, which need nothing else of the contract.
            { name: "contract", test: /[\\/]contract[\\/]src[\\/](?!docs[\\/])/, tags: ["$initial"] },
            // Long lists alone need it. As a part it could share a chunk with something small that the order page needs.
            {
              name: "grid",
              test: /[\\/](node_modules[\\/]@tanstack[\\/](react-virtual|virtual-core)|web[\\/]src[\\/]ui[\\/]display[\\/]row-grid)/,
            },
            { name: "charts", test: /[\\/]web[\\/]src[\\/]ui[\\/]charts[\\/]/ },
            // Except the modules that the welcome page and the reference also use.
            {
              name: "ui",
              test: /[\\/]web[\\/]src[\\/]ui[\\/](?!theme|counted|words|controls[\\/]copyable|mark|display[\\/]row-grid)/,
              tags: ["$initial"],
            },
            { name: "frame", test: /[\\/]web[\\/]src[\\/]app[\\/]/, tags: ["$initial"] },
            {
              name: "parts",
              test: /[\\/](web[\\/]src[\\/](app|ui(?![\\/](theme|counted|words|controls[\\/]copyable|mark)))|contract[\\/]src|node_modules[\\/]@(tanstack|ariakit|floating-ui))[\\/]/,
              entriesAware: true,
              // Larger parts stay apart: a merged part brings the libraries of all its modules to each of its screens.
              entriesAwareMergeThreshold: 2_000,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
  server: { proxy: Object.fromEntries(servedByService.map((path) => [path, service])) },
});
