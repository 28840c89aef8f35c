/** The parts of the OpenAPI document that this page reads; Swagger UI reads the rest. */
export type OpenApiDocument = {
  servers?: unknown[];
  tags?: { name: string }[];
  paths?: Record<string, Record<string, unknown>>;
  components?: {
    schemas?: { ErrorCode?: { "x-error-codes"?: ErrorCode[] } };
    securitySchemes?: Record<string, { type: string; description?: string }>;
  };
};

export type ErrorCode = { code: number; message: string; field: string; resolution: string };
