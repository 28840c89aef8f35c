/** The parts of Swagger UI that the reference uses. */
declare module "@fastify/swagger-ui/static/swagger-ui-bundle.js" {
  import type { ComponentType, createElement } from "react";
  import type { OpenApiDocument } from "./openapi-document.ts";

  export type LayoutProps = { getComponent(name: string, connected?: boolean): ComponentType };

  /** The path and the method of the operation. */
  export type ParametersProps = { pathMethod: readonly [path: string, method: string] };

  export type Plugin = (system: { React: { createElement: typeof createElement } }) => {
    components?: Record<string, ComponentType<LayoutProps>>;
    wrapComponents?: {
      parameters?: (original: ComponentType<ParametersProps>) => ComponentType<ParametersProps>;
    };
    statePlugins?: object;
  };

  export type SentRequest = { url: string; headers: Record<string, string> };

  type Settings = {
    spec: OpenApiDocument;
    domNode: HTMLElement;
    layout: string;
    plugins: Plugin[];
    docExpansion: "list" | "full" | "none";
    validatorUrl: string | null;
    persistAuthorization: boolean;
    syntaxHighlight: { theme: "obsidian" };
    /** False: the page shows a request without what `requestInterceptor` added. */
    showMutatedRequest: boolean;
    requestInterceptor<Request extends SentRequest>(request: Request): Promise<Request>;
    responseInterceptor<Response extends { status: number }>(response: Response): Response;
  };

  export default function SwaggerUIBundle(settings: Settings): void;
}
