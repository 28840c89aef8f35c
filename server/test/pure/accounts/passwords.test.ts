import { describe, expect, test } from "vitest";
import { isCommonPassword } from "../../../src/adapters/common-passwords.ts";
import { passwordProblem } from "../../../src/domain/accounts/password-rules.ts";
import { createPasswords } from "../../../src/passwords.ts";
import { hashPassword, isCheaper, PASSWORD_COST, passwordMatches } from "../../../src/vault/password-hash.ts";

const noor = ["noor.haddad@larkspur.example", "Noor Haddad", "Larkspur Pharmacy"];
const problem = (password: string) => passwordProblem(password, isCommonPassword, noor);

describe("a new password", () => {
  test("needs 12 characters, counted as a reader counts them", () => {
    expect(problem("elevenchars")).toBe("short");
    // Four characters in eight code units.
    expect(problem("🐟🐠🐡🦈")).toBe("short");
    expect(problem("quiet tin 44")).toBeNull();
  });

  test.each([
    "123qweasdzxc",
    "Password1234",
    "P4ssw0rd2026!",
    "pa$$word!!!!!",
    "passwordpassword",
    "letmein12345",
    "12football34",
    "aaaaaaaaaaaa",
    "abcabcabcabc",
    "123456789012",
    "abcdefghijkl",
    "zyxwvutsrqpo",
    "Qwerty123456",
  ])("%s is too common", (password) => {
    expect(problem(password)).toBe("common");
  });

  test.each(["noorhaddad99", "Larkspur2026", "haddad-noor!", "NOOR.HADDAD@larkspur"])(
    "%s is the person's own data",
    (password) => {
      expect(problem(password)).toBe("own");
    },
  );

  test.each([
    "correct horse battery staple",
    "a long enough password",
    "haddad likes blue mountains",
    "48201934756102",
    "lowercaseonly words",
    "dragon48201934756102",
    "Пароль для Нур Хаддад",
  ])("%s is allowed, because no kind of character is required", (password) => {
    expect(problem(password)).toBeNull();
  });
});

describe("hashes", () => {
  test("the cost is OWASP's minimum, and it is stored with the hash", async () => {
    expect(PASSWORD_COST).toBe(17);
    const kept = hashPassword("a long enough password", 10);
    expect(kept).toMatch(/^scrypt\$1024\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
    expect([await passwordMatches("a long enough password", kept), await passwordMatches("another", kept)]).toEqual([
      true,
      false,
    ]);
    expect([isCheaper(kept, 10), isCheaper(kept, 11)]).toEqual([false, true]);
  });

  test("a hash with a lower cost still matches, and the caller learns that it needs to be renewed", async () => {
    const passwords = createPasswords(11);
    const [old, recent] = [hashPassword("old one", 10), await passwords.hash("recent")];
    const found = [passwords.check("old one", old), passwords.check("wrong", old), passwords.check("recent", recent)];
    expect(await Promise.all(found)).toEqual(["cheap", "wrong", "right"]);
    expect(await passwords.check("anything", null)).toBe("wrong");
  });

  test("a flood of passwords waits its turn, and the rest gets 503 instead of memory", async () => {
    const passwords = createPasswords(10);
    const asked = await Promise.allSettled(Array.from({ length: 60 }, () => passwords.hash("x")));
    const refused = asked.filter((one) => one.status === "rejected");
    // One or two at once, depending on the cores, and 40 that wait.
    expect([18, 19]).toContain(refused.length);
    expect(refused[0]!.reason).toMatchObject({ status: 503, retry_after_s: 5 });
    expect(await passwords.hash("x")).toMatch(/^scrypt/);
  });
});
