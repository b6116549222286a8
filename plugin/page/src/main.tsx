import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { readBoot } from "./boot.ts";
import "./styles/index.css";
import { followHostTheme } from "./theme.ts";
import { Broken, Page, Unbooted } from "./views/page.tsx";

followHostTheme();
const boot = readBoot(document);
const root = document.getElementById("page");
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <Broken>{boot === undefined ? <Unbooted /> : <Page boot={boot} />}</Broken>
    </StrictMode>,
  );
