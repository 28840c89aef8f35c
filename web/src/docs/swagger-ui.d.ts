/** The parts of Swagger UI that the reference uses. */
declare module "@fastify/swagger-ui/static/swagger-ui-bundle.js" {
  import type { ComponentType, createElement } from "react";
  import type { OpenApiDocument } from "./openapi-document.ts";

  export type LayoutProps = { getComponent(name: string, connected?: boolean): ComponentType };

  export type Plugin = (system: { React: { createElement: typeof createElement } }) => {
    components?: Record<string, ComponentType<LayoutProps>>;
    statePlugins?: object;
  };

  type Settings = {
    spec: OpenApiDocument;
    domNode: HTMLElement;
    layout: string;
    plugins: Plugin[];
    docExpansion: "list" | "full" | "none";
    validatorUrl: string | null;
    persistAuthorization: boolean;
    syntaxHighlight: { theme: "obsidian" };
    requestInterceptor<Request extends { headers: Record<string, string> }>(request: Request): Request;
  };

  export default function SwaggerUIBundle(settings: Settings): void;
}
