import type { LayoutProps, Plugin } from "@fastify/swagger-ui/static/swagger-ui-bundle.js";
import type { createElement as CreateElement } from "react";

/**
 * Swagger UI's own parts, without its choice of servers, its list of schemas (each operation shows its own) and its
 * `main` element (this page has one). They are built with the React that Swagger UI carries, never with this package's.
 */
export const referenceLayout: Plugin = ({ React }) => ({
  components: {
    ReferenceLayout: layOut.bind(null, React.createElement),
    // In words, so that the button around it has a name.
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
