import type { LayoutProps, Plugin } from "@fastify/swagger-ui/static/swagger-ui-bundle.js";
import type { createElement as CreateElement } from "react";

/**
 * Swagger UI's layout without the server select, the schema list (each operation shows its own) and the `main` element
 * (this page has one). It uses the React bundled with Swagger UI, never this package's.
 */
export const referenceLayout: Plugin = ({ React }) => ({
  components: {
    ReferenceLayout: layOut.bind(null, React.createElement),
    // Text instead of an icon, so the button has an accessible name.
    CloseIcon: closeInWords.bind(null, React.createElement),
  },
});

function layOut(createElement: typeof CreateElement, { getComponent }: LayoutProps) {
  return createElement(
    "div",
    { className: "swagger-ui" },
    createElement(getComponent("SvgAssets")),
    createElement(getComponent("errors", true)),
    createElement(getComponent("InfoContainer", true)),
    createElement(getComponent("AuthorizeBtnContainer", true)),
    createElement("h2", { className: "unseen" }, "Operations"),
    createElement(getComponent("operations", true)),
    createElement(getComponent("Webhooks", true)),
  );
}

function closeInWords(createElement: typeof CreateElement) {
  return createElement("span", null, "Close");
}
