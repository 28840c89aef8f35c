import * as sdk from "@pestle/sdk";
import * as express from "@pestle/sdk/express";
import * as testing from "@pestle/sdk/testing";
import * as webhooks from "@pestle/sdk/webhooks";
import { journey } from "./journey.mjs";

await journey({ sdk, webhooks, express, testing });
