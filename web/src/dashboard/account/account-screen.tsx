import { AccountScreen as Account } from "../../app/account/account-screen.tsx";
import { DigestCard } from "./digest-card.tsx";

/** The user's own sign-in, and what only staff choose. */
export const AccountScreen = () => (
  <Account>
    <DigestCard />
  </Account>
);
