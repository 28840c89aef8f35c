import "../ui/theme.css";
import "./header.css";
import "./search.css";
import "./site.css";
import "./article.css";
import { addCopyButtons } from "./copy-buttons.ts";
import { followReading } from "./follow-reading.ts";
import { startSearch } from "./search.ts";
import { startThemeButton } from "./theme-button.ts";

// Progressive enhancement: the page works without this script.
startThemeButton(document.getElementById("theme") as HTMLButtonElement);
startSearch(document.getElementById("search")!);
addCopyButtons();
followReading();
document.querySelector('.pages [aria-current="page"]')?.scrollIntoView({ block: "nearest" });
