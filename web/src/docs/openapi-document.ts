/** The parts of the OpenAPI document that this page reads; Swagger UI reads the rest. */
export type OpenApiDocument = {
  servers?: Server[];
  tags?: { name: string }[];
  paths?: Record<string, PathItem>;
  components?: {
    parameters?: Record<string, Parameter>;
    schemas?: { ErrorCode?: { "x-error-codes"?: ErrorCode[] } };
    securitySchemes?: Record<string, SecurityScheme>;
  };
};

type Server = { url: string };
export type PathItem = { servers?: Server[] } & { [Name in HttpMethod]?: Operation };
export type HttpMethod = "get" | "post" | "put" | "patch" | "delete";
export type Operation = {
  operationId: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { required?: boolean; content: Record<string, Content> };
};
export type Parameter = { name: string; in: string; schema?: { examples?: (string | number)[] } };
type Content = { example?: unknown; examples?: Record<string, { value: unknown }> };
type SecurityScheme = {
  type: string;
  description?: string;
  flows?: { clientCredentials?: { tokenUrl: string } };
};

export type ErrorCode = { code: number; message: string; field: string; resolution: string };
