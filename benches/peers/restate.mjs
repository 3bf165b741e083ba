// A Restate service with one handler of five durable steps. NODE_HOME is where npm installed the SDK.
import { createRequire } from "node:module";

const require = createRequire(`${process.env.NODE_HOME}/package.json`);
const restate = require("@restatedev/restate-sdk");

const five = async (ctx) => {
  let value = 0;
  for (let step = 0; step < 5; step++) {
    const before = value;
    value = await ctx.run(`step ${step}`, () => before + 1);
  }
  return value;
};

restate.serve({ services: [restate.service({ name: "bench", handlers: { five } })], port: 29080 });
