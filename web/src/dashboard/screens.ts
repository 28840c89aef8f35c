import type { Screen } from "../app/screen.ts";

/** Every page of the pharmacy's own people. */
export const screens: readonly Screen[] = [
  {
    path: "/",
    title: "Home",
    load: async () => (await import("./home/home-screen.tsx")).HomeScreen,
    nav: { group: "Work", icon: "home", keys: "g h" },
  },
];
