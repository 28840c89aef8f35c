// Swagger UI brings a scroller that takes over every link to a heading and keeps `hashchange` from firing. This switch
// has to be thrown before its bundle runs, hence a module of its own that is imported first.
Object.assign(window, { noZensmooth: true });

export {};
