const sdk = require("@pestle/sdk");
const express = require("@pestle/sdk/express");
const testing = require("@pestle/sdk/testing");
const webhooks = require("@pestle/sdk/webhooks");

import("./journey.mjs").then(({ journey }) => journey({ sdk, webhooks, express, testing }));
