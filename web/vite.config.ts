import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// With `npm run dev -w web` the pages come from Vite and everything else from a service started beside it.
const service = "http://127.0.0.1:8080";
const servedByService = ["/welcome.json", "/openapi.json", "/healthz", "/readyz", "/v1"];

export default defineConfig({
  plugins: [react()],
  build: {
    // The service answers with `script-src 'self'; style-src 'self'`: nothing may end up inside the HTML.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Swagger UI is one piece of 1.7 MB, and only /docs loads it.
    chunkSizeWarningLimit: 2000,
    rolldownOptions: { input: { welcome: "index.html", docs: "docs/index.html" } },
  },
  server: { proxy: Object.fromEntries(servedByService.map((path) => [path, service])) },
});
