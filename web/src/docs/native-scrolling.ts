// Swagger UI bundles a smooth scroller that hijacks anchor links and suppresses `hashchange`. This flag must be set
// before its bundle runs, so it is a separate module that is imported first.
Object.assign(window, { noZensmooth: true });

export {};
