import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./ui/theme.css";
import { WelcomePage } from "./welcome/welcome-page.tsx";

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <WelcomePage />
  </StrictMode>,
);
